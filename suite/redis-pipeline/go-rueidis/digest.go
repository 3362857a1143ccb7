package main

import (
	"fmt"
	"hash"
	"hash/fnv"
	"strconv"
)

// digest is what workload.toml defines: FNV-1a over `$text\n`, `:number\n`, `_\n`.
type digest struct {
	hash hash.Hash64
}

func newDigest() *digest {
	return &digest{fnv.New64a()}
}

func (d *digest) text(text string) {
	d.hash.Write([]byte("$" + text + "\n"))
}

func (d *digest) number(number int64) {
	d.hash.Write([]byte(":" + strconv.FormatInt(number, 10) + "\n"))
}

func (d *digest) null() {
	d.hash.Write([]byte("_\n"))
}

// json is sixteen hexadecimal digits as a JSON string, or null without a digest.
func (d *digest) json() string {
	if d == nil {
		return "null"
	}
	return fmt.Sprintf("\"%016x\"", d.hash.Sum64())
}
