// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '../../libs/testing/src/host/repo.mjs';

/**
 * deploy/settings.json: what an operator chooses once, and what many files of deploy/ name.
 *
 * @typedef {object} Settings
 * @property {string} image of every service, with its registry and tag
 * @property {string} installation the value of `installationLabel` here: the namespace
 * @property {string} installationLabel the label of a scraped series that tells installations apart
 * @property {string} runbookUrl the address of the runbooks: `<runbookUrl>/<alert>.html`
 */

export const SETTINGS = 'deploy/settings.json';

/** @param {string} [dir] of the repository @returns {Settings} */
export function readSettings(dir = repoDir) {
  return JSON.parse(readFileSync(join(dir, SETTINGS), 'utf8'));
}

const LABEL = /(?<=^# Installation label: )\w+$/m;

/**
 * Rules and their tests with the label and the address of the runbooks as `settings` has them. A file names the label that it was
 * written with in a comment.
 *
 * @param {string} text @param {Settings} settings
 * @throws {Error} if the file does not name its label
 */
export function applySettings(text, { installationLabel, runbookUrl }) {
  const [written] = LABEL.exec(text) ?? [];
  if (written === undefined) throw new Error('expected a line "# Installation label: <label>", got none');
  return text
    .replace(LABEL, installationLabel)
    .replace(new RegExp(`(?<=\\b(?:by|on) \\()${written}(?=[,)])`, 'g'), installationLabel)
    .replace(new RegExp(`(?<=\\$labels\\.)${written}\\b`, 'g'), installationLabel)
    .replace(new RegExp(`(?<=[{,]\\s?)${written}(?=: |=")`, 'g'), installationLabel)
    .replace(/(?<=runbook_url: )\S+(?=\/\w+\.html)/g, runbookUrl);
}
