import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../base/fault.ts'
import type { Network } from '../chain/network.ts'
import { createNetworkChoice } from './networks.ts'

const served = [{ name: 'dev' } as Network, { name: 'polygon-mainnet' } as Network]
const choose = createNetworkChoice(() => served)

test('a path prefix names the network, else the Host label, else the first network', () => {
  assert.equal(choose('polygon-mainnet', null).name, 'polygon-mainnet')
  assert.equal(choose(null, 'polygon-mainnet').name, 'polygon-mainnet')
  assert.equal(choose(null, 'POLYGON-MAINNET').name, 'polygon-mainnet')
  assert.equal(choose('dev', 'dev').name, 'dev')
  for (const label of [null, 'rpc', 'localhost', '127'])
    assert.equal(choose(null, label).name, 'dev')
})

test('a known label that is not served is refused, never answered from the default network', () => {
  const refused: [string | null, string | null, string][] = [
    [null, 'mainnet', 'network mainnet is not served'],
    ['sepolia', null, 'network sepolia is not served'],
    ['nosuch', null, 'network nosuch is not served'],
    ['dev', 'polygon-mainnet', 'network polygon-mainnet is not served'],
    ['nosuch', 'polygon-mainnet', 'network nosuch is not served'],
  ]
  for (const [path, host, message] of refused) {
    assert.throws(
      () => choose(path, host),
      (thrown) =>
        thrown instanceof Fault && thrown.code === 'no_network' && thrown.message === message,
    )
  }
})

test('long labels are cut in the message', () => {
  assert.throws(
    () => choose('x'.repeat(5000), null),
    (thrown) => thrown instanceof Fault && thrown.message.length < 300,
  )
})
