// Requests to pin content through the admin operations, on the data folder of a running server.
import { deepEqual, equal, match, rejects } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openAdminAccess } from '../../src/cli/admin-access.ts'
import { psaClient } from '../fakes/files/psa-client.ts'
import { until } from '../fakes/until.ts'
import { type Started, startCairn } from '../started-server.ts'

let cairn: Started
before(async () => {
  cairn = await startCairn()
})
after(() => cairn.stop())

const context = {
  out: () => {},
  err: () => {},
  readInput: async () => '',
  env: {},
}

const missing = 'bafkreifzjut3te7nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'

test('requests that are not pinned are listed with their last error, and cancelled', async () => {
  await using admin = await openAdminAccess(context, { dataDir: cairn.dataDir })
  const [{ id: account } = { id: '' }] = (await admin.call('GET /accounts')).accounts
  const psa = psaClient(cairn)
  const list = (before?: number) =>
    admin.call('GET /accounts/{account}/pin-requests', {
      account,
      ...(before === undefined ? {} : { before }),
    })
  deepEqual(await list(), { requests: [], count: 0 })
  const pinned = await psa.add({ cid: 'bafkqaaa' })
  await psa.ends(pinned.requestid)
  const one = await psa.add({ cid: missing, name: 'one' })
  const two = await psa.add({ cid: missing, name: 'two' })
  await until(async () => {
    const { requests, count } = await list()
    deepEqual(
      [count, ...requests.map(({ name, status, tries }) => [name, status, tries])],
      [2, ['two', 'queued', 1], ['one', 'queued', 1]],
    )
    match(requests[0]?.error ?? '', /^pin: /)
  }, 30_000)
  const older = await list(Date.parse(two.created))
  deepEqual(
    older.requests.map(({ id }) => id),
    [one.requestid],
  )
  const path = 'DELETE /accounts/{account}/pin-requests/{request}'
  await admin.call(path, { account, request: one.requestid })
  equal((await psa.call('GET', `/${one.requestid}`)).status, 404)
  await rejects(admin.call(path, { account, request: one.requestid }), { code: 'absent' })
  equal((await list()).count, 1)
})
