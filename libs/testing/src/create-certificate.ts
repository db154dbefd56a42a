// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export interface CertificateFiles {
  readonly path: string;
  readonly keyPath: string;
}

/** A certificate of its own authority for `localhost`, for a server or a client, valid for two days. Needs `openssl`. */
export function createCertificate(folder: string, name = 'cert'): CertificateFiles {
  const [path, keyPath] = [join(folder, `${name}.pem`), join(folder, `${name}-key.pem`)];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync(
    'openssl',
    ['req', '-x509', ...curve, '-keyout', keyPath, '-out', path, '-days', '2', ...subject],
    { stdio: 'pipe' },
  );
  return { path, keyPath };
}
