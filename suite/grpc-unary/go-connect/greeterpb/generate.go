// Package greeterpb is the workload's contract, ../../greeter.proto, compiled
// for Go. The generated code is committed, as Go projects do, so that a build
// needs neither protoc nor its plugins.
package greeterpb

//go:generate sh -c "protoc -I ../.. --plugin=protoc-gen-go=$(go tool -n protoc-gen-go) --plugin=protoc-gen-connect-go=$(go tool -n protoc-gen-connect-go) --go_out=. --go_opt=paths=source_relative --go_opt=Mgreeter.proto=deadheat/go-connect/greeterpb --connect-go_out=. --connect-go_opt=paths=source_relative --connect-go_opt=Mgreeter.proto=deadheat/go-connect/greeterpb greeter.proto"
