// SPDX-License-Identifier: Apache-2.0

// Package chainwatch verifies and reads webhook deliveries of chainwatch. One file, the standard library alone, Go 1.19 or newer.
//
//	body, _ := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
//	event, err := chainwatch.Unwrap(r.Header.Get("X-Webhook-Signature"), body, os.Getenv("CHAINWATCH_WEBHOOK_SECRET"))
//
// Answer 400 to a SignatureError, 2xx within 10 seconds to the rest, and drop an EventID that you have seen.
package chainwatch

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// SignatureError says why a delivery did not come from your chainwatch just now.
type SignatureError string

func (reason SignatureError) Error() string { return "the delivery is refused: " + string(reason) }

// Event is what every type of event has; Data depends on Type.
type Event struct {
	EventID       string          `json:"event_id"`
	Type          string          `json:"type"`
	APIVersion    string          `json:"api_version"`
	CreatedAt     time.Time       `json:"created_at"`
	IsTestMessage bool            `json:"is_test_message"`
	ProjectID     string          `json:"project_id"`
	Sequence      *int64          `json:"sequence"`
	Data          json.RawMessage `json:"data"`
}

const (
	headerLengthMax = 4096
	// Tolerance is how far the signature's time may be from now, in either direction.
	Tolerance = 300 * time.Second
)

var seconds = regexp.MustCompile(`\A(?:0|[1-9][0-9]{0,11})\z`)

// Unwrap reads the event, once Verify has passed. During a rotation give the old and the new secret.
func Unwrap(header string, body []byte, secrets ...string) (*Event, error) {
	if err := Verify(header, body, secrets, Tolerance, time.Now()); err != nil {
		return nil, err
	}
	var event Event
	if err := json.Unmarshal(body, &event); err != nil {
		return nil, SignatureError("malformed_event")
	}
	return &event, nil
}

// Verify takes the header X-Webhook-Signature and the raw body.
func Verify(header string, body []byte, secrets []string, tolerance time.Duration, now time.Time) error {
	if len(secrets) == 0 {
		return errors.New("expected the secret of the channel, got none")
	}
	if header == "" {
		return SignatureError("missing_header")
	}
	t, signatures, ok := parse(header)
	if !ok {
		return SignatureError("malformed_header")
	}
	if len(signatures) == 0 {
		return SignatureError("no_known_version")
	}
	isMatch := false
	for _, secret := range secrets {
		if secret == "" {
			return errors.New("expected the secret of the channel, got an empty one")
		}
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(t + "."))
		mac.Write(body)
		expected := hex.EncodeToString(mac.Sum(nil))
		for _, signature := range signatures {
			isMatch = hmac.Equal([]byte(expected), []byte(signature)) || isMatch
		}
	}
	if !isMatch {
		return SignatureError("signature_mismatch")
	}
	at, _ := strconv.ParseInt(t, 10, 64)
	if math.Abs(float64(now.UnixNano())/1e9-float64(at)) > tolerance.Seconds() {
		return SignatureError("timestamp_outside_tolerance")
	}
	return nil
}

// parse gives t as it stands in the header, and every v1.
func parse(header string) (t string, signatures []string, ok bool) {
	if len(header) > headerLengthMax {
		return "", nil, false
	}
	times := 0
	for _, entry := range strings.Split(header, ",") {
		key, value, found := strings.Cut(strings.Trim(entry, " \t"), "=")
		if !found || key == "" {
			return "", nil, false
		}
		switch key {
		case "t":
			t, times = value, times+1
		case "v1":
			signatures = append(signatures, value)
		}
	}
	return t, signatures, times == 1 && seconds.MatchString(t)
}
