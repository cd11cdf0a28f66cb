// `GET /server-settings`: settings of the server from its settings file.
// Tested by test/admin/server-settings.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { noServer } from '../server/get-status.ts'
import { serverSettings } from './server-settings-view.ts'

const input = z.strictObject({})

export const getServerSettings = {
  id: 'getServerSettings',
  method: 'GET',
  path: '/server-settings',
  role: 'operator',
  summary: 'Settings of sign-in, mail and access to the dashboard, without secrets.',
  input,
  output: serverSettings,
  run(_input, { serverSettings: view }) {
    if (view === null) throw noServer()
    return view.read()
  },
} satisfies JsonOperation<typeof input, typeof serverSettings>
