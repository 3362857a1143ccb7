package main

import (
	"log"
	"os"

	"github.com/valyala/fasthttp"
)

func main() {
	log.Fatal(fasthttp.ListenAndServe("127.0.0.1:"+os.Args[1], func(ctx *fasthttp.RequestCtx) {
		ctx.WriteString("Hello from " + string(ctx.Path()[1:]) + "!")
	}))
}
