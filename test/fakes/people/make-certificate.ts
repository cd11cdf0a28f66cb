// Certificates for TLS servers in tests: self-signed, each with a new key, made by openssl.
import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** Null if `openssl` runs, else the reason to skip its tests. */
export function missingOpenssl(): string | null {
  const { status } = spawnSync('openssl', ['version'])
  return status === 0 ? null : 'left out: openssl is not installed'
}

/** Writes `<name>.pem` and `<name>.key` in `folder`. `names`: as in `subjectAltName`. */
export function makeCertificate(
  folder: string,
  name: string,
  names = 'DNS:localhost,IP:127.0.0.1',
): { readonly certificateFile: string; readonly keyFile: string } {
  const certificateFile = join(folder, `${name}.pem`)
  const keyFile = join(folder, `${name}.key`)
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${names}`]
  const files = ['-keyout', keyFile, '-out', certificateFile, '-days', '30']
  execFileSync('openssl', ['req', '-x509', ...curve, ...subject, ...files], { stdio: 'ignore' })
  return { certificateFile, keyFile }
}
