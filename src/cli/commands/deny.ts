// `cairn deny add|list|remove|check`: content that the IPFS gateway must not serve, on a data folder or on a server with a token.
// A running server applies a change to the next request.
// Tested by test/files/deny.test.ts
import type { Command } from 'commander'
import { addAdminOptions, type AdminOptions, openAdminAccess } from '../admin-access.ts'
import type { Context } from '../context.ts'
import { FoundBad, print, table, visible } from '../report.ts'
import { asTyped } from '../typed-command.ts'

const contentHelp = `
<content> is a CID, /ipfs/<cid>/path, ipfs://<cid>/path, or the URL of a gateway. Without a path, the rule is about the block
of the CID under every spelling and all paths below it; a * at the end of a path means all paths that begin so.`

export function defineDeny(command: Command, context: Context): void {
  addAdminOptions(
    command.command('add <content>').description('deny content; the reply to readers is 410'),
  )
    .option('--reason <text>', 'for the list and the audit log')
    .option('--legal', 'reply 451 (unavailable for legal reasons)')
    .addHelpText(
      'after',
      `
Examples:
  cairn deny add bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi --reason phishing
  cairn deny add https://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi.ipfs.example.com/login.html --legal
${contentHelp}`,
    )
    .action(
      async (
        content: string,
        {
          reason = '',
          legal,
          ...options
        }: AdminOptions & { readonly reason?: string; readonly legal?: true },
      ) => {
        await using admin = await openAdminAccess(context, options, { make: true })
        const status = legal === true ? 451 : 410
        const denial = await admin.call('POST /denials', { content, status, reason })
        print(context, options.json, denial, `${denial.rule} is denied with status ${status}.`)
      },
    )
  addAdminOptions(command.command('list').description('list the content that operators deny'))
    .addHelpText(
      'after',
      '\nThe deny lists of gateway.denyFile and gateway.denyFiles are files and not shown.',
    )
    .action(async (options: AdminOptions) => {
      await using admin = await openAdminAccess(context, options)
      const { denials } = await admin.call('GET /denials')
      const rows = denials.map(({ rule, status, reason, created }) => [
        rule,
        status,
        new Date(created).toISOString(),
        reason,
      ])
      const text = table(
        ['RULE', 'STATUS', 'CREATED', 'REASON'],
        rows,
        'No content is denied: cairn deny add',
      )
      print(context, options.json, { denials }, asTyped(context, text))
    })
  addAdminOptions(command.command('remove <content>').description('remove a rule of `deny add`'))
    .addHelpText('after', contentHelp)
    .action(async (content: string, options: AdminOptions) => {
      await using admin = await openAdminAccess(context, options)
      const denial = await admin.call('DELETE /denials', { content })
      print(context, options.json, denial, `The rule ${denial.rule} is removed.`)
    })
  addAdminOptions(
    command.command('check <content>').description('show which rule decides about content'),
  )
    .addHelpText('after', `${contentHelp}\n\nThe exit code is 1 if the content is denied.`)
    .action(async (content: string, options: AdminOptions) => {
      await using admin = await openAdminAccess(context, options)
      const decision = await admin.call('GET /denials/check', { content })
      print(context, options.json, decision, visible(describe(decision)))
      if (decision.denied) throw new FoundBad()
    })
}

function describe({
  denied,
  status,
  rule,
  file,
  line,
}: {
  readonly denied: boolean
  readonly status: number | null
  readonly rule: string | null
  readonly file: string | null
  readonly line: number | null
}): string {
  const by = rule === null ? `${file}, line ${line}` : `the rule ${rule}`
  if (denied) return `denied with status ${status} by ${by}`
  return rule === null && file === null ? 'not denied: no rule is about it' : `allowed by ${by}`
}
