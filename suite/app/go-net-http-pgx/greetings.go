package main

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
)

type greeting struct {
	Message string `json:"message"`
}

func hello(r *http.Request) string {
	return "Hello, " + r.PathValue("name") + "!"
}

func plaintext(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.WriteString(w, hello(r))
}

func jsonObject(w http.ResponseWriter, r *http.Request) {
	respond(w, greeting{Message: hello(r)})
}

func respond(w http.ResponseWriter, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		log.Print(err)
		http.Error(w, "internal server error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(body)
}
