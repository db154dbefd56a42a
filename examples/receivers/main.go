// Copy chainwatch.go into the folder chainwatch, then:
// go mod init example.com/receiver
// CHAINWATCH_WEBHOOK_SECRET=svc_whsec_… PORT=3000 go run .
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"sync"

	"example.com/receiver/chainwatch"
)

// In production: a table with a unique key on event_id, written with the effect of the event.
var seen sync.Map

func handle(event *chainwatch.Event) {
	if _, isKnown := seen.LoadOrStore(event.EventID, true); isKnown {
		return
	}
	log.Println(event.Type, event.EventID)
}

func receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, "content_too_large", http.StatusRequestEntityTooLarge)
		return
	}
	event, err := chainwatch.Unwrap(r.Header.Get("X-Webhook-Signature"), body, os.Getenv("CHAINWATCH_WEBHOOK_SECRET"))
	var refusal chainwatch.SignatureError
	if errors.As(err, &refusal) {
		http.Error(w, string(refusal), http.StatusBadRequest)
		return
	}
	if err != nil {
		log.Println(err)
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	handle(event)
	w.WriteHeader(http.StatusNoContent)
}

func main() {
	http.HandleFunc("/webhooks/chainwatch", receive)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
