// Greeter as grpc-go's documentation shows it: every option at its default.
package main

import (
	"log"

	"deadheat/go-grpc/greeter"
)

func main() {
	if err := greeter.ListenAndServe(); err != nil {
		log.Fatal(err)
	}
}
