// SPDX-License-Identifier: Apache-2.0
/**
 * `node tools/stack/write-deployment.mjs [--image <image>]`: compose, Kubernetes, Prometheus and Grafana as deploy/services.json and
 * deploy/settings.json have them. `--image` writes the image into the settings first.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { repoDir } from '../../libs/testing/src/host/repo.mjs';
import { renderDeployment } from './render-deployment.mjs';
import { readSettings, SETTINGS } from './settings.mjs';

const { image } = parseArgs({ options: { image: { type: 'string' } } }).values;
if (image !== undefined) {
  const settings = { ...readSettings(), image };
  writeFileSync(join(repoDir, SETTINGS), `${JSON.stringify(settings, null, 2)}\n`);
}
for (const [path, text] of renderDeployment()) writeFileSync(join(repoDir, path), text);
