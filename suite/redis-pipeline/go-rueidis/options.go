package main

import (
	"errors"
	"flag"
	"io"
)

// options is the command line that every contender of this workload takes.
type options struct {
	host       string
	port       int
	iterations int
	rounds     int
	// Commands sent before their replies are awaited; 0 is a whole round.
	depth  int
	verify bool
}

func parseOptions(arguments []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	// The error says it all.
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.host, "host", "127.0.0.1", "")
	flags.IntVar(&o.port, "port", 0, "")
	flags.IntVar(&o.iterations, "iterations", 100_000, "")
	flags.IntVar(&o.rounds, "rounds", 1, "")
	flags.IntVar(&o.depth, "pipeline-depth", 0, "")
	flags.BoolVar(&o.verify, "verify", false, "")
	if err := flags.Parse(arguments); err != nil {
		return o, err
	}
	if o.port == 0 {
		return o, errors.New("--port is required")
	}
	if o.iterations < 0 || o.rounds < 0 || o.depth < 0 {
		return o, errors.New("numbers must not be negative")
	}
	return o, nil
}
