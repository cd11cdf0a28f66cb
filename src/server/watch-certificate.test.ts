import assert from 'node:assert/strict'
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { type TestContext, test } from 'node:test'
import { makeCertificate, missingOpenssl } from '../../test/fakes/people/make-certificate.ts'
import { createManualClock } from '../../test/fakes/manual-clock.ts'
import { temporaryFolder } from '../../test/started-server.ts'
import { checkPeriodMs } from './reload.ts'
import { watchCertificate } from './watch-certificate.ts'

const skip = missingOpenssl() ?? false

async function watch(t: TestContext) {
  const folder = await temporaryFolder()
  t.after(() => rm(folder, { recursive: true, force: true }))
  const files = makeCertificate(folder, 'server')
  const clock = createManualClock(Date.now())
  const events: string[] = []
  const watched = await watchCertificate(files, {
    clock,
    log: (_level, event) => void events.push(event),
  })
  return { folder, files, clock, events, watched }
}

test(
  'a certificate that expires soon is logged each day, and each day after its end',
  { skip },
  async (t) => {
    const { clock, events, watched } = await watch(t)
    const days = (count: number) => clock.advance(count * 24 * 60 * 60 * 1000)
    days(15)
    assert.deepEqual(events, ['tls_certificate_read'])
    days(2)
    const soon = 'tls_certificate_expires_soon'
    assert.deepEqual(events.splice(1), [soon, soon])
    days(14)
    const ended = Array.from({ length: 2 }, () => 'tls_certificate_expired')
    assert.deepEqual(events.splice(1), [...Array.from({ length: 12 }, () => soon), ...ended])
    watched.stop()
    assert.equal(clock.timers, 0)
  },
)

test(
  'files that were refused are read again after a change that leaves size and time as they were',
  { skip },
  async (t) => {
    const { folder, files, clock, events, watched } = await watch(t)
    const other = makeCertificate(folder, 'other')
    const broken = (await readFile(other.certificateFile, 'utf8')).replaceAll('A', 'B')
    const put = async (text: string) => {
      const { atime, mtime } = await stat(files.certificateFile)
      await writeFile(files.certificateFile, text)
      await utimes(files.certificateFile, atime, mtime)
    }
    const turnUntil = async (event: string) => {
      for (let turn = 0; turn < 10_000 && !events.includes(event); turn++) {
        clock.advance(checkPeriodMs)
        await setImmediate()
      }
    }
    await writeFile(files.keyFile, await readFile(other.keyFile))
    await put(broken)
    await turnUntil('tls_certificate_refused')
    await put(await readFile(other.certificateFile, 'utf8'))
    await turnUntil('tls_certificate_changed')
    watched.stop()
  },
)
