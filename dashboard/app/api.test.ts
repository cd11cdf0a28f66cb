import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, requestOf } from './api.ts'

test('members that the path names go into it, the rest into the query or the body', () => {
  deepEqual(
    requestOf('GET /accounts/{account}/usage', { account: 'a b', window: '1h', key: undefined }),
    {
      method: 'GET',
      url: '/api/v1/accounts/a%20b/usage?window=1h',
      body: null,
    },
  )
  deepEqual(requestOf('POST /accounts/{account}/keys', { account: 'acc_1', name: 'app' }), {
    method: 'POST',
    url: '/api/v1/accounts/acc_1/keys',
    body: '{"name":"app"}',
  })
  throws(() => requestOf('DELETE /keys/{key}', {}), /needs key/)
})

test('an error of the API says which member of the input is wrong', () => {
  equal(new ApiError('bad_input', 'name: too long', 400, { field: 'name' }).field, 'name')
  equal(new ApiError('absent', 'there is no such key', 404, {}).field, null)
})
