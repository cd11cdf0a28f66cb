// Entry of a thread that checks the database once, or plans the repair of its pins, with a separate connection, and ends.
// Tested by test/faults/database-check.test.ts
import { parentPort, workerData } from 'node:worker_threads'
import { checkIntegrity, type Damage } from './integrity.ts'
import { repairPins } from './repair-pins.ts'
import { type Database, openDatabase } from './sqlite.ts'

export type CheckOrder = { readonly path: string; readonly quick: boolean }
/** Orders the repair of pins. */
export type RepairOrder = { readonly path: string; readonly repairs: 'pin' }

/** Maximum number of damages of all tables. */
const damagesMax = 100

function check(db: Database, quick: boolean): readonly Damage[] {
  const damages: Damage[] = []
  for (const damage of checkIntegrity(db, quick)) {
    if (damages.length < damagesMax) damages.push(damage)
  }
  return damages
}

const order = workerData as CheckOrder | RepairOrder
const db = openDatabase(order.path, { readOnly: true })
try {
  parentPort?.postMessage('repairs' in order ? repairPins(db) : check(db, order.quick))
} finally {
  db.close()
}
