// Greeter on the same stack, tuned; README.md says what each change gave.
package main

import (
	"log"

	"google.golang.org/grpc"

	"deadheat/go-grpc/greeter"
)

// streamWorkers is how many goroutines handle calls one after the other. A
// goroutine started for each call grows its stack anew each time; a worker has
// grown it already. Enough for the calls that are usually in flight (here 10
// connections with 50 each): what comes on top gets a goroutine as ever.
const streamWorkers = 512

func main() {
	if err := greeter.ListenAndServe(grpc.NumStreamWorkers(streamWorkers)); err != nil {
		log.Fatal(err)
	}
}
