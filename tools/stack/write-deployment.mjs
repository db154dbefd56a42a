/** `node tools/stack/write-deployment.mjs`: compose.yaml and Kubernetes' files as deploy/services.json has the services. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '../../libs/host/src/repo.mjs';
import { renderDeployment } from './render-deployment.mjs';

for (const [path, text] of renderDeployment()) writeFileSync(join(repoDir, path), text);
