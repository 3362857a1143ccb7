package main

// command is one of the study's commands.
type command int

const (
	del command = iota
	set
	get
	incr
)

// eachPipeline calls full after every depth commands that it gave to add, and after the last: one round.
// A depth of 0 is a whole round.
func eachPipeline(iterations, depth int, add func(command), full func() error) error {
	runs := []struct {
		command command
		times   int
	}{{del, 1}, {set, iterations}, {get, iterations}, {del, 1}, {incr, iterations}, {del, 1}, {get, iterations}}
	handedOver := 0
	for _, run := range runs {
		for range run.times {
			add(run.command)
			if handedOver++; handedOver == depth {
				if err := full(); err != nil {
					return err
				}
				handedOver = 0
			}
		}
	}
	if handedOver == 0 {
		return nil
	}
	return full()
}
