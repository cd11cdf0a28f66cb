import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { settingsSchema } from '../../config/settings.ts'
import { checkIpfsNetwork } from './ipfs-network-checks.ts'
import { queryIpfsNetwork } from './query-ipfs-network.ts'

async function serve(t: TestContext, status: number, body: string): Promise<number> {
  const server = createServer((_request, response) => response.writeHead(status).end(body))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

function settingsOf(ipfsNetwork: object, port = 0) {
  return settingsSchema.parse({ ipfsNetwork, http: { port } })
}

test('while the network is off, nothing is asked', async () => {
  const asked = await queryIpfsNetwork(settingsOf({ mode: 'off', routers: ['http://127.0.0.1:1'] }))
  assert.equal(asked, null)
  assert.deepEqual([...checkIpfsNetwork(asked)], [])
})

test('a router that does not answer is a warning, one without providers is none', async (t) => {
  const [well, broken] = [await serve(t, 404, ''), await serve(t, 500, '')]
  const routers = [well, broken, 1].map((port) => `http://127.0.0.1:${port}`)
  const asked = await queryIpfsNetwork(settingsOf({ mode: 'fetch', routers }))
  const problems = [...checkIpfsNetwork(asked)]
  assert.deepEqual(
    problems.map(({ code, level }) => [code, level]),
    [
      ['router_silent', 'warning'],
      ['router_silent', 'warning'],
    ],
  )
  assert.match(problems[0]?.text ?? '', /status 500/)
})

test('a server whose network is down is a problem', async (t) => {
  const port = await serve(t, 200, '{"status":"ready","details":["network_down"]}')
  const asked = await queryIpfsNetwork(settingsOf({ mode: 'provide', routers: [] }, port))
  assert.deepEqual(
    [...checkIpfsNetwork(asked)].map(({ code }) => code),
    ['network_down'],
  )
  const sound = await serve(t, 200, '{"status":"ready"}')
  const well = await queryIpfsNetwork(settingsOf({ mode: 'provide', routers: [] }, sound))
  assert.deepEqual([...checkIpfsNetwork(well)], [])
})
