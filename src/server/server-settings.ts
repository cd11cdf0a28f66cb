// The settings that the admin API shows to operators, and the test of the mail server.
// Tested by test/admin/server-settings.test.ts
import type { ServerSettingsView } from '../admin/resources/server-settings/server-settings-view.ts'
import { createMailer } from '../access/alerts/send-mail.ts'
import { Fault } from '../base/fault.ts'
import type { Config } from '../config/settings.ts'

/** `settings`: the settings in force. */
export function createServerSettings(settings: {
  readonly now: Pick<Config, 'admin' | 'mail' | 'signIn'>
}): ServerSettingsView {
  const mailer = createMailer(() => settings.now.mail)
  return {
    read() {
      const { admin, mail, signIn } = settings.now
      const { issuer, clientSecret, rules, ...oidc } = signIn.oidc
      return {
        signIn: {
          password: signIn.password,
          secondFactor: signIn.secondFactor,
          openId:
            issuer === null
              ? null
              : { ...oidc, issuer, hasSecret: clientSecret !== null, rules: rules.length },
        },
        // The URL may contain a password.
        mail: { server: mail.url === null ? null : new URL(mail.url).host, from: mail.from },
        admin,
      }
    },
    async sendTestMail(to) {
      if (!mailer.canSend()) {
        const detail = 'no mail server is set: set mail.url and mail.from'
        throw new Fault('absent', { detail })
      }
      const subject = 'Test mail of Cairn'
      const text = `The mail server of Cairn works. An operator has sent this test to ${to}.\n`
      await mailer.send({ to, subject, text })
    },
  }
}
