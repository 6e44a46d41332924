import type { PublicAddress } from "../playlist/playlistAddress.ts";
import { QrCode } from "../ui/QrCode.tsx";

/** On a television, whose keys type badly: how a channel is added from a phone or a computer. */
export function FromElsewhere({ isSet, origin }: PublicAddress) {
  const address = isSet ? origin : location.origin;
  return (
    <>
      <QrCode text={address} label={`QR code: ${address}`} />
      <p>
        Easier from a phone or a computer: scan the code, or open <strong>{address}</strong>{" "}
        there, and add the channel. It appears here by itself.
      </p>
    </>
  );
}
