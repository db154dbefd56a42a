import { KEYS_PATH } from '../../api/statement-queries.ts';

/** The keys that verify statements, which anybody may read. */
export function KeysLink() {
  return (
    <a href={KEYS_PATH} target="_blank" rel="noopener" className="text-accent-ink hover:underline">
      Public signing keys
    </a>
  );
}
