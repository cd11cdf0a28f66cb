// A server with the IPFS network off: it loads none of its modules, and contacts no other machine.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../../src/base/clock.ts'
import type { Config } from '../../src/config/settings.ts'
import { kuboNetworkOf, type OpenPeerNetwork } from '../../src/server/open-peer-network.ts'
import { filesClient } from '../fakes/files/files-client.ts'
import { startCairn, temporaryFolder } from '../started-server.ts'

const hook = fileURLToPath(new URL('../fakes/network/count-contacts.ts', import.meta.url))
const absent = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'

test('with mode off, a missing CID starts no process, no connection and no lookup', async (t) => {
  const folder = await temporaryFolder()
  t.after(() => rm(folder, { recursive: true, force: true }))
  const contacts = join(folder, 'contacts')
  const server = await startCairn({
    nodeArgs: ['--import', hook],
    env: { CAIRN_TEST_CONTACTS: contacts, CAIRN_FILES_IDLE_MS: '1000' },
  })
  const { post } = filesClient(server)
  const answers = [await post(`cat?arg=${absent}`), await post(`pin/add?arg=${absent}`)]
  for (const answer of answers) {
    assert.equal(answer.status, 500)
    assert.match(await answer.text(), /could not find/)
  }
  assert.equal(existsSync(join(server.dataDir, 'network.pem')), false)
  await server.stop()
  const lines = readFileSync(contacts, 'utf8').trim().split('\n')
  assert.deepEqual(lines, ['listen'])
})

test('the routing that Kubo clients see follows the DHT and the routers of the settings', () => {
  const typeOf = (dht: 'client' | 'off', routers: readonly string[]) => {
    const now = { ipfsNetwork: { dht, routers } } as Config
    return kuboNetworkOf(
      { network: {}, plan: null } as OpenPeerNetwork,
      { now },
      systemClock,
    )?.routingType()
  }
  const routers = ['https://router.example']
  assert.equal(typeOf('client', routers), 'autoclient')
  assert.equal(typeOf('client', []), 'dhtclient')
  assert.equal(typeOf('off', routers), 'delegated')
  assert.equal(typeOf('off', []), 'none')
  assert.equal(kuboNetworkOf(null, { now: {} as Config }, systemClock), null)
})
