import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { changesBetween } from './changes.ts'
import { settingDefinitions, loadConfig } from './config.ts'
import { networkNames } from './settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'cairn-changes-'))
after(() => rmSync(folder, { recursive: true }))

async function settings(yaml: string) {
  const file = join(folder, 'cairn.yaml')
  writeFileSync(file, yaml)
  return (await loadConfig({ file, env: {}, flags: {} })).config
}

async function change(before: string, now: string) {
  return changesBetween(settingDefinitions, await settings(before), await settings(now))
}

const upstreams = (port: number) => `chainId: 1, upstreams: [{url: "http://h:${port}"}]`
const mainnet = (port: number) => `networks:\n  - {name: mainnet, ${upstreams(port)}}\n`
const dev = '  - {name: dev, embedded: true}\n'

test('a live limit is applied, another changed setting is reported as needing a restart', async () => {
  const { config, live, restart } = await change(
    'rpc: {batchItemsMax: 10}\n',
    'rpc: {batchItemsMax: 20}\nhttp: {port: 9}\nmemory: {contentBytesMax: 1}\n',
  )
  assert.deepEqual(live, ['rpc.batchItemsMax'])
  assert.deepEqual(restart, ['http.port', 'memory.contentBytesMax'])
  assert.equal(config.rpc.batchItemsMax, 20)
  assert.equal(config.http.port, 8545)
  assert.throws(() => Object.assign(config.rpc, { requestMs: 1 }), TypeError)
})

test('a file with the same values changes nothing', async () => {
  const { live, restart } = await change(mainnet(1) + dev, mainnet(1) + dev)
  assert.deepEqual([live, restart], [[], []])
})

test('networks behind upstreams are added, changed and removed', async () => {
  const sepolia = `  - {name: sepolia, ${upstreams(5)}}\n`
  assert.deepEqual((await change(mainnet(1), mainnet(2))).live, ['networks.mainnet'])
  assert.deepEqual((await change(mainnet(1), mainnet(1) + sepolia)).live, ['networks.sepolia'])
  assert.deepEqual((await change(mainnet(1) + sepolia, mainnet(1))).live, ['networks.sepolia'])
})

test('another default network is applied', async () => {
  const { config, live, restart } = await change(
    mainnet(1) + dev,
    `networks:\n${dev}  - {name: mainnet, ${upstreams(1)}}\n`,
  )
  assert.deepEqual(networkNames(config), ['dev', 'mainnet'])
  assert.deepEqual([live, restart], [['networks (the default is now dev)'], []])
})

test('the embedded chain stays unchanged: a change to it needs a restart', async () => {
  const { config, live, restart } = await change(
    mainnet(1) + dev,
    `${mainnet(2)}  - {name: dev, embedded: true, mining: off}\n`,
  )
  assert.deepEqual([live, restart], [['networks.mainnet'], ['dev.mining']])
  assert.partialDeepStrictEqual(config.networks?.[1], { name: 'dev', mining: 'auto' })
})

test('an embedded chain that the file no longer lists is served until the restart, after the others', async () => {
  const { config, live, restart } = await change('chain: {name: dev}\n', mainnet(1))
  assert.deepEqual(networkNames(config), ['mainnet', 'dev'])
  assert.deepEqual(live, ['networks.mainnet', 'networks (the default is now mainnet)'])
  assert.deepEqual(restart, ['the embedded chain dev'])
})

test('an embedded chain written in another form with the same values is no change', async () => {
  const { config, live, restart } = await change('', `networks:\n${dev}`)
  assert.equal(config.networks, null)
  assert.deepEqual([live, restart], [[], []])
})

test('networks that are all replaced by an embedded chain stay until the restart', async () => {
  const { config, live, restart } = await change(mainnet(1), '')
  assert.deepEqual(networkNames(config), ['mainnet'])
  assert.deepEqual([live, restart], [[], ['the embedded chain dev']])
})
