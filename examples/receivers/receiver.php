<?php

// Copy ChainwatchWebhook.php beside this file. To try it:
// CHAINWATCH_WEBHOOK_SECRET=svc_whsec_… php -S 127.0.0.1:3000 receiver.php
declare(strict_types=1);

require __DIR__ . '/ChainwatchWebhook.php';

if ($_SERVER['REQUEST_METHOD'] !== 'POST' || $_SERVER['REQUEST_URI'] !== '/webhooks/chainwatch') {
    http_response_code(404);
    exit;
}

try {
    $event = ChainwatchWebhook::unwrap(
        $_SERVER['HTTP_X_WEBHOOK_SIGNATURE'] ?? null,
        file_get_contents('php://input'),
        [getenv('CHAINWATCH_WEBHOOK_SECRET')],
    );
} catch (ChainwatchSignatureException $error) {
    http_response_code(400);
    exit($error->getMessage());
}

// In production: a table with a unique key on event_id, written with the effect of the event.
// Mode x fails if the file exists, so only the first delivery of an event is handled.
$folder = getenv('EVENTS_FOLDER') ?: sys_get_temp_dir();
if (@fopen("$folder/" . hash('sha256', $event->event_id), 'x') !== false) {
    error_log("$event->type $event->event_id");
}
http_response_code(204);
