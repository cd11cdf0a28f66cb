import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { Fault } from '../../base/fault.ts'
import {
  createFailedAuthentications as createAnyFailed,
  guardAuthentication,
} from './failed-attempts.ts'

/** In a single process, results are synchronous. */
function createFailedAuthentications(parts: Parameters<typeof createAnyFailed>[0]) {
  const failed = createAnyFailed(parts)
  return {
    ...failed,
    count(address: string): void {
      assert.equal(failed.count(address), undefined)
    },
  }
}

function refused(run: () => void): Fault | null {
  try {
    run()
    return null
  } catch (thrown) {
    assert.ok(thrown instanceof Fault)
    assert.equal(thrown.code, 'over_rate')
    return thrown
  }
}

test('an address may fail in a burst, then at the rate per minute', () => {
  const clock = createManualClock()
  const failed = createFailedAuthentications({ clock, perMinute: () => 30 })
  for (let n = 0; n < 30; n++) {
    assert.ok(failed.isUnder('192.0.2.1'))
    failed.count('192.0.2.1')
  }
  assert.ok(!failed.isUnder('192.0.2.1'))
  const fault = refused(() => failed.count('192.0.2.1'))
  assert.deepEqual(fault?.data, {
    rate: { allowed_rps: 0.5, current_rps: 1, backoff_seconds: 2 },
    event: -33300,
    details: 'this address may bring 30 wrong keys or secrets a minute',
  })
  clock.advance(2_000)
  failed.count('192.0.2.1')
  assert.ok(refused(() => failed.count('192.0.2.1')))
})

test('a check does not count, and a refused attempt is not counted again', () => {
  const clock = createManualClock()
  const failed = createFailedAuthentications({ clock, perMinute: () => 1 })
  for (let n = 0; n < 10; n++) assert.ok(failed.isUnder('a'))
  failed.count('a')
  for (let n = 0; n < 10; n++) assert.ok(refused(() => failed.count('a')))
  clock.advance(60_000)
  failed.count('a')
})

test('addresses do not touch each other, an IPv6 /64 is one, a mapped IPv4 address is itself', () => {
  const pairs: readonly (readonly [one: string, other: string, same: boolean])[] = [
    ['192.0.2.1', '192.0.2.2', false],
    ['192.0.2.1', '::ffff:192.0.2.1', true],
    ['::ffff:192.0.2.1', '::FFFF:192.0.2.2', false],
    ['2001:db8:1:2::1', '2001:db8:1:2:3:4:5:6', true],
    ['2001:db8:1:2::1', '2001:DB8:1:2:ffff::', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['2001:db8::1', '2001:db8:0:0:2::1', true],
    ['2001:db8::1', '2001:db8:0:1::1', false],
    ['fe80::1%eth0', 'fe80::2%eth1', true],
    ['::1', '::2', true],
    ['', '192.0.2.1', false],
  ]
  for (const [one, other, same] of pairs) {
    const failed = createFailedAuthentications({ clock: createManualClock(), perMinute: () => 1 })
    failed.count(one)
    assert.equal(!failed.isUnder(other), same, `${one} and ${other}`)
  }
})

test('memory has a bound: the address that failed longest ago starts afresh', () => {
  const failed = createFailedAuthentications({
    clock: createManualClock(),
    perMinute: () => 2,
    addressesMax: 3,
  })
  for (const address of ['a', 'a', 'b', 'b', 'c', 'c']) failed.count(address)
  assert.ok(
    refused(() => failed.count('a')),
    'a failed again and is the latest now',
  )
  failed.count('d')
  assert.deepEqual(
    ['a', 'b', 'c'].map((address) => failed.isUnder(address)),
    [false, true, false],
  )
})

test('a guard counts refusals that take their time too', async () => {
  const failed = createFailedAuthentications({ clock: createManualClock(), perMinute: () => 1 })
  const authenticate = async (
    _key: string,
    _secret: string | null,
    _address: string,
    jwt?: string,
  ) => {
    await Promise.resolve()
    if (jwt !== 'good') throw new Fault('bad_token')
    return 'caller'
  }
  const guarded = guardAuthentication(authenticate, failed)
  const codeOf = async (jwt: string) => {
    try {
      return await guarded('key', null, 'a', jwt)
    } catch (thrown) {
      return Fault.from(thrown).code
    }
  }
  const codes = [await codeOf('bad'), await codeOf('good'), await codeOf('bad')]
  assert.deepEqual([...codes, await codeOf('good')], ['bad_token', 'caller', 'over_rate', 'caller'])
})

test('a guard counts refusals alone: good keys and other faults pass untouched, over the limit 429 takes their place', () => {
  const failed = createFailedAuthentications({ clock: createManualClock(), perMinute: () => 2 })
  const authenticate = (key: string): string => {
    if (key === 'good') return 'caller'
    throw key === 'odd' ? new TypeError('a bug') : new Fault('bad_key')
  }
  const guarded = guardAuthentication(authenticate, failed)
  const codeOf = (key: string): string => {
    try {
      return guarded(key, null, 'a')
    } catch (thrown) {
      return Fault.from(thrown).code
    }
  }
  const keys = ['bad', 'good', 'odd', 'odd', 'bad', 'bad', 'good', 'bad', 'odd']
  assert.deepEqual(keys.map(codeOf), [
    'bad_key',
    'caller',
    'internal',
    'internal',
    'bad_key',
    'over_rate',
    'caller',
    'over_rate',
    'internal',
  ])
})
