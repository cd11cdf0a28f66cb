// The TLS certificate of the listeners. Its files are read at startup and again when they change. New connections then get the new
// certificate; open ones keep theirs. Invalid files are logged, and the last certificate stays in use. A certificate that expires
// soon is logged every day.
// Tested by src/server/watch-certificate.test.ts
import { stat } from 'node:fs/promises'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { readTlsCertificate, type TlsCertificate, type TlsFiles } from '../http/tls-certificate.ts'
import { checkPeriodMs } from './reload.ts'

const dayMs = 24 * 60 * 60 * 1000
/** ACME clients renew 30 days before expiry, so with 14 days left renewal has failed. */
const soonMs = 14 * dayMs

export type WatchedCertificate = {
  readonly current: TlsCertificate
  /** Calls `take` with each new certificate. */
  onChange(take: (certificate: TlsCertificate) => void): void
  /** Reads the files immediately. Never throws: errors are logged. */
  now(): Promise<void>
  stop(): void
}

/** Rejects with a sentence for the operator. */
export async function watchCertificate(
  files: TlsFiles,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<WatchedCertificate> {
  let read = await fingerprintOf(files)
  let seen = read
  let current = await readTlsCertificate(files)
  const changeListeners: ((certificate: TlsCertificate) => void)[] = []
  let running: Promise<void> | null = null
  report('tls_certificate_read')

  /** `event` null: logs only problems. */
  function report(event: string | null): void {
    const { names, expires } = current
    const facts = { names, expires: new Date(expires).toISOString() }
    const remainingMs = expires - clock.now()
    if (remainingMs <= 0) log('error', 'tls_certificate_expired', facts)
    else if (remainingMs <= soonMs) log('warn', 'tls_certificate_expires_soon', facts)
    else if (event !== null) log('info', event, facts)
  }

  async function take(fingerprint: string): Promise<void> {
    read = fingerprint
    try {
      const fresh = await readTlsCertificate(files)
      if (fresh.cert.equals(current.cert) && fresh.key.equals(current.key)) return
      current = fresh
      for (const one of changeListeners) one(current)
      report('tls_certificate_changed')
    } catch (error) {
      log('error', 'tls_certificate_refused', { error: (error as Error).message })
    }
  }

  /** Certificate and key are two files: they are read after two checks without a change. */
  async function check(): Promise<void> {
    const fingerprint = await fingerprintOf(files)
    const isUnchanged = fingerprint === seen
    seen = fingerprint
    if (fingerprint !== read && isUnchanged) await take(fingerprint)
  }

  function begin(work: () => Promise<void>): Promise<void> {
    running ??= work().finally(() => {
      running = null
    })
    return running
  }

  const stopChecking = clock.every(checkPeriodMs, () => void begin(check))
  const stopReports = clock.every(dayMs, () => report(null))
  return {
    get current() {
      return current
    },
    onChange: (one) => void changeListeners.push(one),
    async now() {
      await running
      await begin(async () => await take(await fingerprintOf(files)))
    },
    stop() {
      stopChecking()
      stopReports()
    },
  }
}

/** Fingerprint that changes with the files or their permissions; a replaced file has another inode. Never throws. */
async function fingerprintOf({ certificateFile, keyFile }: TlsFiles): Promise<string> {
  const fingerprints = await Promise.all(
    [certificateFile, keyFile].map(async (file) => {
      try {
        const { ino, size, ctimeMs } = await stat(file)
        return `${ino} ${size} ${ctimeMs}`
      } catch {
        return 'absent'
      }
    }),
  )
  return fingerprints.join(', ')
}
