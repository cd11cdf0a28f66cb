// The admin API of a started server.
import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { adminOperations } from '../../src/admin/index.ts'
import { startCairn } from '../started-server.ts'

test('the OpenAPI document needs no session and lists every operation once', async () => {
  const cairn = await startCairn()
  try {
    const response = await fetch(`${cairn.url}/openapi.json`)
    equal(response.status, 200)
    const { paths } = (await response.json()) as {
      paths: Record<string, Record<string, { operationId: string }>>
    }
    const listed = Object.values(paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    )
    equal(
      listed.toSorted().join(),
      adminOperations
        .map(({ id }) => id)
        .toSorted()
        .join(),
    )
    equal(new Set(listed).size, listed.length)
    equal((await fetch(`${cairn.url}/api/v1/accounts`)).status, 401)
  } finally {
    await cairn.stop()
  }
})

test('the OpenRPC document needs no session, and rpc.discover returns the same document', async () => {
  const cairn = await startCairn()
  try {
    const response = await fetch(`${cairn.url}/openrpc.json`)
    equal(response.status, 200)
    const { result } = await cairn.rpc('rpc.discover')
    equal(await response.text(), JSON.stringify(result))
  } finally {
    await cairn.stop()
  }
})

test('a separate admin listener removes the admin API from the main listener', async () => {
  const cairn = await startCairn({ env: { CAIRN_ADMIN_HOST: '127.0.0.1', CAIRN_ADMIN_PORT: '0' } })
  try {
    equal((await fetch(`${cairn.url}/openapi.json`)).status, 404)
    equal((await fetch(`${cairn.url}/api/v1/accounts`)).status, 404)
    ok((await cairn.rpc('eth_chainId')).result)
  } finally {
    await cairn.stop()
  }
})
