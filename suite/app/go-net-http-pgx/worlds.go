package main

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	byID = "SELECT id, randomnumber FROM world WHERE id = $1"

	// mostIDs is how many of a request's ids are looked up; further ones are not.
	mostIDs = 500
)

type world struct {
	ID           int32 `json:"id"`
	RandomNumber int32 `json:"randomNumber"`
}

// worlds is the table `world`.
type worlds struct {
	pool *pgxpool.Pool
}

func (s *worlds) byID(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.URL.Query().Get("id"), 10, 32)
	if err != nil {
		http.Error(w, "id is a whole number", http.StatusBadRequest)
		return
	}
	var found world
	err = s.pool.QueryRow(r.Context(), byID, int32(id)).Scan(&found.ID, &found.RandomNumber)
	if err != nil {
		fail(w, r, err)
		return
	}
	respond(w, found)
}

// byIDs looks up one row after another, all on one connection.
func (s *worlds) byIDs(w http.ResponseWriter, r *http.Request) {
	ids := strings.Split(r.URL.Query().Get("ids"), ",")
	ids = ids[:min(len(ids), mostIDs)]
	conn, err := s.pool.Acquire(r.Context())
	if err != nil {
		fail(w, r, err)
		return
	}
	defer conn.Release()
	all := make([]world, len(ids))
	for i, text := range ids {
		id, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			http.Error(w, "ids are whole numbers, with commas between", http.StatusBadRequest)
			return
		}
		err = conn.QueryRow(r.Context(), byID, int32(id)).Scan(&all[i].ID, &all[i].RandomNumber)
		if err != nil {
			fail(w, r, err)
			return
		}
	}
	respond(w, all)
}
