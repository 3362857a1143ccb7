// Greeter on the same stack, tuned; README.md says what each setting gave.
package main

import (
	"log"

	"google.golang.org/grpc"

	"deadheat/go-grpc/greeter"
)

func main() {
	if err := greeter.ListenAndServe(
		grpc.StaticStreamWindowSize(64*1024),
		grpc.StaticConnWindowSize(1024*1024),
	); err != nil {
		log.Fatal(err)
	}
}
