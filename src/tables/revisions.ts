// Table `revision`: numbers that triggers and writes of usage increment when rows of that name change.
// Tested by src/access/usage/usage.test.ts
import { query, type Query } from '../db/rows.ts'

export function revisionOf(name: 'accounts' | 'people' | 'usage'): Query<{ number: number }> {
  return query('SELECT number FROM revision WHERE name = ?', [name])
}
