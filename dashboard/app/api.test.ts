import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from './api.ts'

test('an error of the API says which member of the input is wrong', () => {
  equal(new ApiError('bad_input', 'name: too long', 400, { field: 'name' }).field, 'name')
  equal(new ApiError('absent', 'there is no such key', 404, {}).field, null)
})
