// The TLS certificate of the listeners: readable, valid now and for some time, and issued for the names of the dashboard.
// Tested by src/cli/doctor/doctor.test.ts
import type { Clock } from '../../base/clock.ts'
import type { Config } from '../../config/settings.ts'
import { readTlsCertificate, type TlsCertificate } from '../../http/tls-certificate.ts'
import { listOf } from '../../server/open-access.ts'
import { tlsFilesOf } from '../../server/open-access.ts'
import {
  type CommandLine,
  problem,
  type Problem,
  warning,
} from '../../server/network-checks/problem.ts'

const dayMs = 86_400_000
/** Automatic renewal, such as certbot's, happens earlier than this. */
const soonMs = 14 * dayMs

export async function checkTls(
  { now }: Pick<Clock, 'now'>,
  { http, admin }: Config,
  command: CommandLine,
): Promise<readonly Problem[]> {
  const files = tlsFilesOf(http)
  if (files === null) return []
  let certificate: TlsCertificate
  try {
    certificate = await readTlsCertificate(files)
  } catch (error) {
    const fix = `correct http.tls or the files, then: ${command('config check')}`
    return [problem('tls_unusable', (error as Error).message, fix)]
  }
  const { expires, names } = certificate
  const date = new Date(expires).toISOString().slice(0, 10)
  const renew = `renew it and replace ${files.certificateFile} and ${files.keyFile}; a running server reads them within 2 s`
  const left = expires - now()
  const others = listOf(admin.hosts).filter((host) => !certificate.covers(host))
  return [
    ...(left <= 0
      ? [problem('tls_expired', `the certificate expired on ${date}: clients refuse it`, renew)]
      : left < soonMs
        ? [warning('tls_expires_soon', `the certificate expires on ${date}`, renew)]
        : []),
    ...others.map((host) =>
      problem(
        'tls_other_name',
        `the certificate is for ${names.join(', ') || 'no name'}, not for ${host} of admin.hosts: browsers refuse it`,
        `issue a certificate that names ${host} too, or remove it from admin.hosts`,
      ),
    ),
  ]
}
