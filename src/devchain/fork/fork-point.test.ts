// Comparison of the recorded fork with the settings.
import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { toHex } from '../../base/hex.ts'
import { forkMismatch, type ForkPoint, forkText, parseFork } from './fork-point.ts'

const point: ForkPoint = {
  source: 'mainnet',
  asked: 'latest',
  number: 20n,
  hash: new Uint8Array(32).fill(0xab),
  stateRoot: new Uint8Array(32),
}

test('a fork is named by a network and a block', () => {
  deepEqual(parseFork('mainnet@20'), { source: 'mainnet', asked: '20' })
  const hash = `0x${'AB'.repeat(32)}`
  deepEqual(parseFork(`op-mainnet@${hash}`), { source: 'op-mainnet', asked: hash.toLowerCase() })
  equal(forkText(point), 'mainnet@20')
})

test('the block as first asked for, its number and its hash name the recorded fork', () => {
  for (const asked of ['latest', '20', toHex(point.hash)]) {
    equal(forkMismatch('dev', point, { source: 'mainnet', asked }), null)
  }
})

test('any other fork, or none, is refused with both and the way out', () => {
  const others = [
    { source: 'sepolia', asked: 'latest' },
    { source: 'mainnet', asked: '21' },
    { source: 'mainnet', asked: 'finalized' },
    { source: 'mainnet', asked: toHex(new Uint8Array(32)) },
  ]
  for (const other of others) {
    const text = forkMismatch('dev', point, other) ?? ''
    match(text, /"dev".*mainnet at block 20 \(0xabab.*fork: mainnet@20, or .*--data-dir/)
    match(text, new RegExp(`name ${other.source}@${other.asked}`))
  }
  match(forkMismatch('dev', point, null) ?? '', /the settings name no fork/)
})
