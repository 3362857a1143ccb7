// Command server answers GET /NAME with "Hello from NAME!", and GET / with "Hello World!".
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

const shutdownTimeout = 2 * time.Second

func hello(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/" {
		fmt.Fprint(w, "Hello World!")
		return
	}
	fmt.Fprintf(w, "Hello from %s!", strings.TrimPrefix(r.URL.Path, "/"))
}

func port() string {
	if len(os.Args) > 1 {
		return os.Args[1]
	}
	if fromEnv := os.Getenv("PORT"); fromEnv != "" {
		return fromEnv
	}
	return "8080"
}

func main() {
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer cancel()

	http.HandleFunc("/", hello)
	server := &http.Server{Addr: net.JoinHostPort("127.0.0.1", port())}
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()

	select {
	case err := <-failed:
		log.Fatal(err)
	case <-stop.Done():
	}

	grace, cancelGrace := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancelGrace()
	err := server.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	if err != nil {
		log.Fatal(err)
	}
}
