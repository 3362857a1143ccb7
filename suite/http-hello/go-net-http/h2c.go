//go:build go1.24

package main

import "net/http"

func init() {
	unencryptedHTTP2 = func(server *http.Server) {
		server.Protocols = new(http.Protocols)
		server.Protocols.SetHTTP1(true)
		server.Protocols.SetUnencryptedHTTP2(true)
	}
}
