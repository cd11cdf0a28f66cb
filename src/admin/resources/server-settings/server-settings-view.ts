// Settings of the server from its settings file, for operators, without secrets. Changes require editing the file.
// Tested by test/admin/server-settings.test.ts
import { z } from 'zod'

export const serverSettings = z.object({
  signIn: z.object({
    password: z.boolean(),
    /** Who needs a second factor. */
    secondFactor: z.enum(['optional', 'operators', 'required']),
    /** Null: no provider is configured. */
    openId: z
      .object({
        name: z.string(),
        issuer: z.string(),
        clientId: z.string().nullable(),
        hasSecret: z.boolean(),
        /** Who can sign up. */
        signUp: z.enum(['invitation', 'rule', 'closed']),
        /** Allowed domains of email addresses; null: all. */
        domains: z.string().nullable(),
        /** Number of rules for roles. */
        rules: z.int(),
      })
      .nullable(),
  }),
  mail: z.object({
    /** Host and port of the SMTP server; null: none is configured. */
    server: z.string().nullable(),
    from: z.string().nullable(),
  }),
  admin: z.object({
    /** Names and addresses with commas; null: loopback names only, and all addresses. */
    hosts: z.string().nullable(),
    ips: z.string().nullable(),
    /** Who can invite people. */
    signUp: z.enum(['closed', 'invitation']),
    sessionIdleMs: z.int(),
    sessionMs: z.int(),
    tokenDays: z.int(),
    tokenDaysMax: z.int().nullable(),
    failedSignInsPerHour: z.int(),
    auditKeepDays: z.int(),
  }),
})

type ServerSettings = z.output<typeof serverSettings>

export interface ServerSettingsView {
  /** The settings in effect. */
  read(): ServerSettings
  /** Resolves when the mail server has accepted the mail. Throws `absent` without a mail server, else its error. */
  sendTestMail(to: string): Promise<void>
}
