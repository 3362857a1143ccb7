// The study's Redis pipeline with rueidis.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/redis/rueidis"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "go-rueidis:", err)
		os.Exit(1)
	}
}

func run() error {
	o, err := parseOptions(os.Args[1:])
	if err != nil {
		return err
	}
	ctx := context.Background()
	client, err := rueidis.NewClient(rueidis.ClientOption{
		InitAddress: []string{net.JoinHostPort(o.host, strconv.Itoa(o.port))},
		// The study's one connection, in the protocol version of all contenders.
		AlwaysRESP2:       true,
		DisableCache:      true,
		ForceSingleClient: true,
		DisableRetry:      true,
		PipelineMultiplex: -1,
		// Its own default cuts a pipeline of this size off after ten seconds.
		ConnWriteTimeout: time.Hour,
		// By default it sends a PING after each idle second, which is no command of the study.
		Dialer: net.Dialer{Timeout: rueidis.DefaultDialTimeout, KeepAlive: -1},
	})
	if err != nil {
		return err
	}
	// Not closed: its farewell is a PING too. The connection ends with the program.
	var sum *digest
	if o.verify {
		sum = newDigest()
	}
	commands := 0

	start := time.Now()
	for range o.rounds {
		var pipe rueidis.Commands
		add := func(command command) {
			switch command {
			case del:
				pipe = append(pipe, client.B().Del().Key("foo").Build())
			case set:
				pipe = append(pipe, client.B().Set().Key("foo").Value("bar").Build())
			case get:
				pipe = append(pipe, client.B().Get().Key("foo").Build())
			case incr:
				pipe = append(pipe, client.B().Incr().Key("foo").Build())
			}
		}
		full := func() error {
			replies := client.DoMulti(ctx, pipe...)
			commands += len(replies)
			pipe = pipe[:0]
			return check(replies, sum)
		}
		if err := eachPipeline(o.iterations, o.depth, add, full); err != nil {
			return err
		}
	}
	wall := time.Since(start)

	fmt.Printf("{\"wall_ns\":%d,\"commands\":%d,\"digest\":%s}\n", wall.Nanoseconds(), commands, sum.json())
	return nil
}

// check returns the first error reply, and digests the replies where sum is there.
func check(replies []rueidis.RedisResult, sum *digest) error {
	for _, reply := range replies {
		err := reply.Error()
		if err != nil && !rueidis.IsRedisNil(err) {
			return err
		}
		if sum == nil {
			continue
		}
		if err != nil {
			sum.null()
			continue
		}
		message, _ := reply.ToMessage()
		if message.IsInt64() {
			number, err := message.AsInt64()
			if err != nil {
				return err
			}
			sum.number(number)
		} else {
			text, err := message.ToString()
			if err != nil {
				return err
			}
			sum.text(text)
		}
	}
	return nil
}
