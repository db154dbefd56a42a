// SPDX-License-Identifier: Apache-2.0
/** Who runs this installation, in mails. */
export interface Installation {
  /** BRAND_NAME; undefined: mails name the address of the installation. */
  readonly brandName?: string | undefined;
  /** BRAND_URL. */
  readonly brandUrl?: string | undefined;
  /** Where people reach the gateway. */
  readonly publicUrl: string;
}

/** The question to a recipient who has not agreed to anything: nothing that a customer wrote is in it. */
export function writeConsentMail(
  installation: Installation,
  link: string,
): { subject: string; text: string } {
  const { brandName, publicUrl } = installation;
  const name = brandName ?? new URL(publicUrl).host;
  const from = brandName === undefined ? '' : ` from ${publicUrl}, its chainwatch installation`;
  return {
    subject: `${name} asks to send you payment notifications`,
    text: `${brandName ?? `The chainwatch installation at ${publicUrl}`} wants to send notifications about blockchain payments to this address${from}.

To receive them, open this page within three days and confirm:
${link}

If you do not expect this, ignore this mail. You will receive nothing else.
${signature(installation)}`,
  };
}

/** The end of each notification. */
export function writeMailFooter(installation: Installation, stopLink: string): string {
  return `\n\n-- \n${signature(installation).trimStart()}Stop these mails: ${stopLink}\n`;
}

function signature({ brandName, brandUrl }: Installation): string {
  const lines = [brandName, brandUrl].filter((line) => line !== undefined);
  return lines.length === 0 ? '' : `\n${lines.join('\n')}\n`;
}
