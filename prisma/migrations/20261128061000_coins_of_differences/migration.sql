-- On chains of unspent outputs: the coins by which one scan differs, `<txid>:<vout>:<known>:<told>`, which the analyzer compares
-- with a second one. Null once it has corrected the coins, and on other chains: the balance service reads the balance.
ALTER TABLE balance_differences ADD COLUMN coins jsonb;
