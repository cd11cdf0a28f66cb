// Table `revision`: counters that triggers increment when rows of that name change; and, for each event receiver, the ID of the
// last audit entry that it received.
// Tested by src/access/accounts/directory.test.ts
import { query, type Query } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'

type RevisedRows = 'accounts' | 'denials' | 'networks' | 'people'
type ReceiverName = 'events_webhook' | 'events_syslog'

export function revisionOf(name: RevisedRows | ReceiverName): Query<{ number: number }> {
  return query('SELECT number FROM revision WHERE name = ?', [name])
}

export function setRevision(name: ReceiverName, number: number): Statement {
  return {
    sql: `INSERT INTO revision (name, number) VALUES (?1, ?2)
      ON CONFLICT (name) DO UPDATE SET number = ?2`,
    parameters: [name, number],
  }
}
