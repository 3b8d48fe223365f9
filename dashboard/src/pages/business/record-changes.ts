import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { useBusiness } from '../../shell/session-context.ts';
import { useRefreshBusiness } from './business.ts';

interface RecordChange {
  readonly accountHolder?: string;
  readonly username?: string;
}

/** Changes display name and username. */
export function useUpdateRecord(): UseMutationResult<unknown, Error, RecordChange> {
  const { id: businessId } = useBusiness();
  const refresh = useRefreshBusiness();
  return useMutation({
    mutationFn: (body: RecordChange) =>
      unwrap(api.PATCH('/businesses/{businessId}', { params: { path: { businessId } }, body })),
    onSuccess: refresh,
  });
}

/** Sets the logo to an image file, or removes it. */
export function useSetLogo(): UseMutationResult<unknown, Error, File | null> {
  const { id: businessId } = useBusiness();
  const refresh = useRefreshBusiness();
  const params = { path: { businessId } };
  return useMutation({
    mutationFn: async (file: File | null) => {
      if (file === null) return unwrap(api.DELETE('/businesses/{businessId}/logo', { params }));
      const image = await toLogo(file);
      return unwrap(
        api.PUT('/businesses/{businessId}/logo', {
          params,
          headers: { 'Content-Type': image.type },
          // The document describes a file as text.
          body: '',
          bodySerializer: () => image,
        }),
      );
    },
    onSuccess: refresh,
  });
}

/** Side of a logo, in pixels. */
const side = 512;

/**
 * Redraws an image, centered in a square, so that only pixels are sent and no metadata such as place, camera or editing history.
 * @throws ApiError for a file that the browser cannot show, like the server's refusal
 */
async function toLogo(file: File): Promise<Blob> {
  const picture = await createImageBitmap(file).catch(() => {
    throw new ApiError(400, 'This file is not a PNG, JPEG or WebP image.', {});
  });
  const canvas = new OffscreenCanvas(side, side);
  const scale = Math.min(side / picture.width, side / picture.height);
  const [width, height] = [picture.width * scale, picture.height * scale];
  canvas.getContext('2d')?.drawImage(picture, (side - width) / 2, (side - height) / 2, width, height);
  picture.close();
  return canvas.convertToBlob({ type: 'image/png' });
}
