// Command server answers GET /NAME with "Hello from NAME!", and GET / with "Hello World!"; with TLS_CERT and
// TLS_KEY over HTTPS, and HTTP/2 where the client takes it; with H2C=1 over HTTP/2 without TLS too.
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

func host() string {
	if fromEnv := os.Getenv("HOST"); fromEnv != "" {
		return fromEnv
	}
	return "127.0.0.1"
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

// unencryptedHTTP2 lets a server speak HTTP/2 without TLS, to clients that begin with it.
var unencryptedHTTP2 = func(*http.Server) { log.Fatal("HTTP/2 without TLS takes Go 1.24") }

func serve(server *http.Server) error {
	if certificate := os.Getenv("TLS_CERT"); certificate != "" {
		return server.ListenAndServeTLS(certificate, os.Getenv("TLS_KEY"))
	}
	if os.Getenv("H2C") != "" {
		unencryptedHTTP2(server)
	}
	return server.ListenAndServe()
}

func main() {
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer cancel()

	http.HandleFunc("/", hello)
	server := &http.Server{Addr: net.JoinHostPort(host(), port())}
	failed := make(chan error, 1)
	go func() { failed <- serve(server) }()

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
