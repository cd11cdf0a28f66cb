// `cairn store`: operations on the whole store.
// Tested by src/cli/commands/store-verify.test.ts
import type { Command } from 'commander'
import type { Context } from '../context.ts'
import { defineStoreRebuild } from './store-rebuild.ts'
import { defineStoreVerify } from './store-verify.ts'

export function defineStore(command: Command, context: Context): void {
  defineStoreVerify(command, context)
  defineStoreRebuild(command, context)
}
