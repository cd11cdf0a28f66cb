// The settings page: for operators, cards of the server with the settings in its file, a test mail and an immediate backup.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSmtpSink } from '../fakes/people/smtp-sink.ts'
import { temporaryFolder } from '../started-server.ts'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { operator, openSignedIn } from './signed-in.ts'

test(
  'an operator sees sign-on, mail, security and backups with the names of their settings, sends a test mail and backs up',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const mail = await startSmtpSink(t)
    const { page, open, picture, expect } = await openSignedIn(t, {
      env: {
        CAIRN_MAIL_URL: mail.url,
        CAIRN_MAIL_FROM: 'Cairn <cairn@example.com>',
        CAIRN_BACKUP_TO: await temporaryFolder(),
        CAIRN_SIGN_IN_OIDC_ISSUER: 'http://127.0.0.1:9/realm',
        CAIRN_SIGN_IN_OIDC_CLIENT_ID: 'cairn-at-home',
        CAIRN_SIGN_IN_SECOND_FACTOR: 'optional',
      },
    })
    expect(/status of 500/)
    await page.setViewportSize({ width: 1440, height: 900 })
    await open('/settings')
    const tab = async (name: string) => {
      await page.getByRole('tab', { name }).click()
      await page.getByRole('heading', { name, level: 2, exact: true }).waitFor()
    }
    // The tabs of the account and those of the server stand under their headings, beside the content.
    assert.deepEqual(await page.locator('.tabs-heading').allInnerTexts(), ['default', 'Server'])
    await checkAxe(page, 'general')
    await picture('settings-general')
    await tab('Mail')
    await page.getByText('mail.from').waitFor()
    await page.getByRole('button', { name: 'Send test mail' }).click()
    await page.getByText(`Test mail sent to ${operator.email}`).waitFor()
    await mail.arrived(1)
    await checkAxe(page, 'mail')
    await picture('settings-mail')

    await tab('Single sign-on')
    await page.getByText('http://127.0.0.1:9/realm').waitFor()
    await page.getByText(/\/dashboard\/openid$/).waitFor()
    await checkAxe(page, 'sign-on')
    await picture('settings-sign-on')

    await tab('Security')
    await page.getByText('signIn.secondFactor').waitFor()
    await page.getByText('after 12 hours').waitFor()
    await page.getByText('after 30 days').waitFor()
    for (const scheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      await checkAxe(page, `security ${scheme}`)
    }
    await picture('settings-security')

    await tab('Backups')
    await page.getByText('backup.everyHours').waitFor()
    await page.getByRole('button', { name: 'Back up now' }).click()
    await page.getByRole('table', { name: 'Stored backups' }).getByText('Complete').last().waitFor()
    await checkAxe(page, 'backups')
    await picture('settings-backups')
    await page.setViewportSize({ width: 390, height: 800 })
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
    await checkAxe(page, 'backups on a phone')
    await picture('settings-backups-phone')
    await page.getByRole('tab', { name: 'Backups' }).press('ArrowDown')
    await page.getByRole('heading', { name: 'Single sign-on', level: 2 }).waitFor()
  },
)

test(
  'without a provider, a mail server and a target the cards name the setting to set',
  { skip: noBrowser, timeout: 300_000 },
  async (t) => {
    const { page, open } = await openSignedIn(t)
    for (const [name, text] of [
      ['sign-on', 'Set signIn.oidc.issuer'],
      ['mail', 'Set mail.url and mail.from'],
      ['backups', 'Set backup.to'],
    ] as const) {
      await open(`/settings?tab=${name}`)
      await page.getByText(text).waitFor()
      assert.equal(await page.getByRole('button', { name: /Send test|Back up/ }).count(), 0)
    }
    await checkAxe(page, 'settings without a server')
  },
)
