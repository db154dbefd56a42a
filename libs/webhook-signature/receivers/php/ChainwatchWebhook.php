<?php

declare(strict_types=1);

/** The delivery did not come from your chainwatch just now; the message is the reason. */
final class ChainwatchSignatureException extends RuntimeException
{
}

/**
 * Verifies and reads webhook deliveries of chainwatch. One file, no extension but hash and json, PHP 8.0 or newer.
 *
 *     $event = ChainwatchWebhook::unwrap(
 *         $_SERVER['HTTP_X_WEBHOOK_SIGNATURE'] ?? null,
 *         file_get_contents('php://input'),
 *         [getenv('CHAINWATCH_WEBHOOK_SECRET')],
 *     );
 *
 * Answer 400 to a ChainwatchSignatureException, 2xx within 10 seconds to the rest, and drop an event_id that you have seen.
 */
final class ChainwatchWebhook
{
    private const HEADER_LENGTH_MAX = 4096;

    /** The event, once verify has passed. */
    public static function unwrap(
        ?string $header,
        string $body,
        array $secrets,
        float $tolerance = 300,
        ?float $now = null
    ): object {
        self::verify($header, $body, $secrets, $tolerance, $now);
        $event = json_decode($body, false, 512, JSON_BIGINT_AS_STRING);
        if (!is_object($event)) {
            throw new ChainwatchSignatureException('malformed_event');
        }
        return $event;
    }

    /**
     * @param ?string $header X-Webhook-Signature
     * @param string $body the raw bytes
     * @param string[] $secrets the channel's; during a rotation the old and the new one
     */
    public static function verify(
        ?string $header,
        string $body,
        array $secrets,
        float $tolerance = 300,
        ?float $now = null
    ): void {
        foreach ($secrets ?: [''] as $secret) {
            if (!is_string($secret) || $secret === '') {
                throw new InvalidArgumentException('expected the secret of the channel, got none or an empty one');
            }
        }
        if ($header === null || $header === '') {
            throw new ChainwatchSignatureException('missing_header');
        }
        [$time, $signatures] = self::parse($header);
        if ($signatures === []) {
            throw new ChainwatchSignatureException('no_known_version');
        }
        $isMatch = false;
        foreach ($secrets as $secret) {
            $expected = hash_hmac('sha256', $time . '.' . $body, $secret);
            foreach ($signatures as $signature) {
                $isMatch = hash_equals($expected, $signature) || $isMatch;
            }
        }
        if (!$isMatch) {
            throw new ChainwatchSignatureException('signature_mismatch');
        }
        if (abs(($now ?? microtime(true)) - (float) $time) > $tolerance) {
            throw new ChainwatchSignatureException('timestamp_outside_tolerance');
        }
    }

    /** @return array{string, string[]} t as it stands in the header, and every v1 */
    private static function parse(string $header): array
    {
        $times = [];
        $signatures = [];
        $isMalformed = strlen($header) > self::HEADER_LENGTH_MAX;
        foreach (explode(',', $header) as $entry) {
            $parts = explode('=', trim($entry, " \t"), 2);
            $isMalformed = $isMalformed || count($parts) < 2 || $parts[0] === '';
            if ($parts[0] === 't') {
                $times[] = $parts[1] ?? '';
            } elseif ($parts[0] === 'v1') {
                $signatures[] = $parts[1] ?? '';
            }
        }
        if ($isMalformed || count($times) !== 1 || preg_match('/\A(?:0|[1-9][0-9]{0,11})\z/', $times[0]) !== 1) {
            throw new ChainwatchSignatureException('malformed_header');
        }
        return [$times[0], $signatures];
    }
}
