import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestMeters } from '../../../test/fakes/files/transfer-meters.ts'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import type { KeyQuotas, QuotaHolder } from './transfer-meters.ts'

const unbounded: KeyQuotas = {
  filesUploadBytesPerMonth: null,
  filesDownloadBytesPerMonth: null,
  filesStoredBytes: null,
  filesBodyBytes: null,
  filesUploads: null,
}
const holder = (
  settings: Partial<KeyQuotas>,
  quotas: Partial<QuotaHolder['quotas']> = {},
  keyId = 'k',
): QuotaHolder => ({
  keyId,
  accountId: 'a',
  settings: { ...unbounded, ...settings },
  quotas: { ...unbounded, ...quotas },
})
const chunked = { declaredBytes: null, stores: true } as const
const declared = (bytes: number) => ({ declaredBytes: bytes, stores: true })
const transfer = { code: 'over_quota', message: 'not allowed - transfer quota reached' }
const storage = { code: 'over_quota', message: 'not allowed - storage quota reached' }
const mib = 1024 * 1024

test('a declared length over the limit is refused before the body is read, otherwise at the chunk that exceeds it', () => {
  const meters = createTestMeters()
  const limited = holder({ filesUploadBytesPerMonth: 1000 })
  assert.throws(() => meters.open(limited, declared(1001)), transfer)
  const meter = meters.open(limited, chunked)
  meter.upload(600)
  assert.throws(() => meter.upload(401), transfer)
  meter.end({ in: 1001, out: 0 })
  assert.throws(() => meters.open(limited, declared(1)), transfer)
  // A read needs no upload quota.
  meters.open(limited, declared(0)).download(1)
})

test('a refusal costs the bytes read, not the declared ones', () => {
  const meters = createTestMeters()
  const limited = holder({ filesUploadBytesPerMonth: 1000 })
  assert.throws(() => meters.open(limited, declared(2000)), transfer)
  const failed = meters.open(limited, declared(900))
  failed.upload(100)
  failed.end({ in: 100, out: 0 })
  meters.open(limited, declared(900)).upload(900)
})

test('requests at the same time share one quota', () => {
  const meters = createTestMeters()
  const limited = holder({ filesUploadBytesPerMonth: 1000, filesDownloadBytesPerMonth: 500 })
  const [one, two] = [meters.open(limited, chunked), meters.open(limited, chunked)]
  one.upload(600)
  two.upload(400)
  assert.throws(() => two.upload(1), transfer)
  one.admitDownload(500n)
  two.admitDownload(500n)
  one.download(300)
  assert.throws(() => two.download(201), transfer)
  assert.throws(() => two.admitDownload(201n), transfer)
  two.admitDownload(200n)
})

test('an account has one quota for all its keys', () => {
  const meters = createTestMeters()
  const quotas = { filesUploadBytesPerMonth: 1000 }
  meters.open(holder({}, quotas, 'one'), chunked).upload(1000)
  assert.throws(() => meters.open(holder({}, quotas, 'two'), declared(1)), transfer)
})

test('a month starts with its previous usage, and ends at midnight of its last day, UTC', () => {
  const clock = createManualClock(Date.UTC(2026, 0, 31, 23, 59, 59))
  const asked: string[] = []
  const meters = createTestMeters({
    clock,
    transferred: (keyIds) => {
      asked.push(keyIds.join(' '))
      return { up: clock.now() < Date.UTC(2026, 1, 1) ? 990 : 0, down: 0 }
    },
    keysOf: () => ['k', 'other'],
  })
  const limited = holder({ filesUploadBytesPerMonth: 1000 }, { filesUploadBytesPerMonth: 5000 })
  meters.open(limited, declared(10)).upload(10)
  assert.throws(() => meters.open(limited, declared(1)), transfer)
  assert.deepEqual(asked, ['k', 'k other'])
  clock.advance(1000)
  meters.open(limited, declared(1000)).upload(1000)
  assert.throws(() => meters.open(limited, declared(1)), transfer)
})

test('a quota set during a transfer counts only the bytes after it', async () => {
  const meters = createTestMeters()
  const free = meters.open(holder({}), chunked)
  free.upload(700)
  const limited = holder({ filesUploadBytesPerMonth: 1000 })
  meters.open(limited, declared(10)).end({ in: 10, out: 0 })
  free.upload(200)
  free.end({ in: 900, out: 0 })
  assert.throws(() => meters.open(limited, declared(791)), transfer)
})

test('storage is checked against stored plus uploaded bytes, unless the upload is not stored', () => {
  const meters = createTestMeters({ storedBytes: () => 10 * mib })
  for (const limited of [
    holder({ filesStoredBytes: 11 * mib }),
    holder({}, { filesStoredBytes: 11 * mib }),
  ]) {
    assert.throws(() => meters.open(limited, declared(2 * mib)), storage)
    const meter = meters.open(limited, chunked)
    meter.upload(mib)
    assert.throws(() => meter.upload(mib), storage)
    meter.end({ in: 2 * mib, out: 0 })
    meters.open(limited, { declaredBytes: 9 * mib, stores: false }).upload(9 * mib)
  }
  assert.throws(() => meters.open(holder({ filesStoredBytes: 10 * mib }), chunked), storage)
})

test('a body has the longest length of its key', () => {
  const meters = createTestMeters()
  const limited = holder({ filesBodyBytes: 100 })
  assert.throws(() => meters.open(limited, declared(101)), { code: 'too_large' })
  const meter = meters.open(limited, chunked)
  meter.upload(100)
  assert.throws(() => meter.upload(1), { code: 'too_large' })
})

test('uploads of a key are limited; small ones need no slot, and the end of a request frees its slot', () => {
  const meters = createTestMeters({ uploadsPerKeyMax: () => 2 })
  const large = declared(128 * 1024 + 1)
  const first = meters.open(holder({}), large)
  const second = meters.open(holder({}), chunked)
  second.upload(128 * 1024)
  const third = meters.open(holder({}), large)
  assert.throws(() => second.upload(1), { code: 'over_rate' })
  assert.throws(() => meters.open(holder({}), large), { code: 'over_rate' })
  meters.open(holder({}), declared(128 * 1024)).upload(128 * 1024)
  meters.open(holder({}, {}, 'another key'), large)
  meters.open(holder({ filesUploads: 3 }), large).end({ in: 0, out: 0 })
  first.end({ in: 0, out: 0 })
  first.end({ in: 0, out: 0 })
  meters.open(holder({}), large)
  assert.throws(() => meters.open(holder({}), large), { code: 'over_rate' })
  third.end({ in: 0, out: 0 })
})
