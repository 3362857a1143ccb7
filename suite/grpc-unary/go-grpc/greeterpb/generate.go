// Package greeterpb is the workload's contract, ../../greeter.proto, compiled
// for Go. The generated code is committed, as Go projects do, so that a build
// needs neither protoc nor its plugins.
package greeterpb

//go:generate sh -c "protoc -I ../.. --plugin=protoc-gen-go=$(go tool -n protoc-gen-go) --plugin=protoc-gen-go-grpc=$(go tool -n protoc-gen-go-grpc) --go_out=. --go_opt=paths=source_relative --go_opt=Mgreeter.proto=deadheat/go-grpc/greeterpb --go-grpc_out=. --go-grpc_opt=paths=source_relative --go-grpc_opt=Mgreeter.proto=deadheat/go-grpc/greeterpb greeter.proto"
