import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from './api.ts'

test('an error of the API names the invalid member of the input', () => {
  equal(new ApiError('bad_input', 'name: too long', 400, { field: 'name' }).field, 'name')
  equal(new ApiError('absent', 'not found', 404, {}).field, null)
})
