import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filterOf, periodOf, readUsageQuery, usageAddress } from './usage-query.ts'

const read = (text: string) => readUsageQuery(new URLSearchParams(text))

test('the address of the page has every choice, and only choices', () => {
  for (const text of [
    'window=24h',
    'from=1000&until=2000&of=all&key=k&network=mainnet&method=eth_call&compare=before&zone=local',
    'window=7d&face=files&method=add',
  ]) {
    assert.equal(usageAddress(read(text)), `/usage?${text}`)
  }
  assert.equal(usageAddress(read('')), '/usage?window=24h')
  assert.equal(usageAddress(read('window=2y&from=monday&until=2&zone=mars')), '/usage?window=24h')
})

test('a choice becomes the input of the API', () => {
  const own = read('from=1000&until=2000&network=mainnet&method=eth_call')
  assert.deepEqual(periodOf(own), { from: 1000, until: 2000 })
  assert.deepEqual(filterOf(own), { network: 'mainnet', method: 'eth_call' })
  const ipfs = read('face=files&network=mainnet')
  assert.deepEqual([periodOf(ipfs), filterOf(ipfs)], [{ window: '24h' }, { face: 'files' }])
})
