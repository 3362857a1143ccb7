// The study's Redis pipeline with go-redis.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "go-redis:", err)
		os.Exit(1)
	}
}

func run() error {
	o, err := parseOptions(os.Args[1:])
	if err != nil {
		return err
	}
	ctx := context.Background()
	redis.SetLogger(silence{})
	client := redis.NewClient(&redis.Options{
		Addr: net.JoinHostPort(o.host, strconv.Itoa(o.port)),
		// The study's one connection; a retry would send commands twice, a time-out end a slow run.
		PoolSize:      1,
		MaxRetries:    -1,
		DialerRetries: 1,
		ReadTimeout:   -1,
		WriteTimeout:  -1,
	})
	defer client.Close()
	// The pool would open a second connection while the first is busy: this one stays the only one.
	conn := client.Conn()
	defer conn.Close()
	// The library connects with its first command.
	if err := conn.Ping(ctx).Err(); err != nil {
		return err
	}
	var sum *digest
	if o.verify {
		sum = newDigest()
	}
	commands := 0

	start := time.Now()
	for range o.rounds {
		pipe := conn.Pipeline()
		add := func(command command) {
			switch command {
			case del:
				pipe.Del(ctx, "foo")
			case set:
				pipe.Set(ctx, "foo", "bar", 0)
			case get:
				pipe.Get(ctx, "foo")
			case incr:
				pipe.Incr(ctx, "foo")
			}
		}
		full := func() error {
			// A miss is an error of its own kind to this library.
			replies, err := pipe.Exec(ctx)
			if err != nil && !errors.Is(err, redis.Nil) {
				return err
			}
			commands += len(replies)
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

// silence keeps the library from printing what its errors say as well.
type silence struct{}

func (silence) Printf(context.Context, string, ...any) {}

// check returns the first error reply, and digests the replies where sum is there.
func check(replies []redis.Cmder, sum *digest) error {
	for _, reply := range replies {
		err := reply.Err()
		if err != nil && !errors.Is(err, redis.Nil) {
			return err
		}
		if sum == nil {
			continue
		}
		switch reply := reply.(type) {
		case *redis.StatusCmd:
			sum.text(reply.Val())
		case *redis.IntCmd:
			sum.number(reply.Val())
		case *redis.StringCmd:
			if err != nil {
				sum.null()
			} else {
				sum.text(reply.Val())
			}
		default:
			return fmt.Errorf("unexpected reply %v", reply)
		}
	}
	return nil
}
