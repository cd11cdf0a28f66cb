// Comparison of the recorded fork with the settings.
import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { toHex } from '../../base/hex.ts'
import { forkMismatch, type ForkPoint, forkText, parseFork } from './fork-point.ts'

const point: ForkPoint = {
  source: 'mainnet',
  block: 'latest',
  number: 20n,
  hash: new Uint8Array(32).fill(0xab),
  stateRoot: new Uint8Array(32),
}

test('a fork is named by a network and a block', () => {
  deepEqual(parseFork('mainnet@20'), { source: 'mainnet', block: '20' })
  const hash = `0x${'AB'.repeat(32)}`
  deepEqual(parseFork(`op-mainnet@${hash}`), { source: 'op-mainnet', block: hash.toLowerCase() })
  equal(forkText(point), 'mainnet@20')
})

test('the block as first asked for, its number and its hash name the recorded fork', () => {
  for (const block of ['latest', '20', toHex(point.hash)]) {
    equal(forkMismatch('dev', point, { source: 'mainnet', block }), null)
  }
})

test('any other fork, or none, is refused with both and the way out', () => {
  const others = [
    { source: 'sepolia', block: 'latest' },
    { source: 'mainnet', block: '21' },
    { source: 'mainnet', block: 'finalized' },
    { source: 'mainnet', block: toHex(new Uint8Array(32)) },
  ]
  for (const other of others) {
    const text = forkMismatch('dev', point, other) ?? ''
    match(text, /"dev".*mainnet at block 20 \(0xabab.*fork: mainnet@20, or .*--data-dir/)
    match(text, new RegExp(`name ${other.source}@${other.block}`))
  }
  match(forkMismatch('dev', point, null) ?? '', /the settings name no fork/)
})
