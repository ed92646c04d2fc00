# SPDX-License-Identifier: GPL-3.0-or-later
"""What programs call the bones of a person: from the names in `skeletons.PERSON` to theirs."""

from __future__ import annotations

from collections.abc import Callable, Mapping


def _table(text: str) -> Mapping[str, str]:
    """What a program calls our parts; L and R stand for its sides in `{}`."""
    return dict(line.split(" = ") for line in text.strip().splitlines())


def naming(text: str, left: str, right: str) -> Callable[[str], str]:
    table = _table(text)

    def name_of(name: str) -> str:
        base, dot, side = name.partition(".")
        pattern = table.get(base, base + "{}")
        return pattern.replace("{}", (left if side == "L" else right) if dot else "")

    return name_of


_BIPED = """hips = Bip01 Pelvis
spine = Bip01 Spine
chest = Bip01 Spine1
neck = Bip01 Neck
head = Bip01 Head
head_top = Bip01 HeadNub
clavicle = Bip01 {} Clavicle
upper_arm = Bip01 {} UpperArm
forearm = Bip01 {} Forearm
hand = Bip01 {} Hand
finger = Bip01 {} Finger1
finger_2 = Bip01 {} Finger11
thumb = Bip01 {} Finger0
thumb_2 = Bip01 {} Finger01
thigh = Bip01 {} Thigh
shin = Bip01 {} Calf
foot = Bip01 {} Foot
toe = Bip01 {} Toe0
toe_end = Bip01 {} Toe0Nub"""
_UNREAL = """hips = pelvis
spine = spine_01
chest = spine_03
neck = neck_01
head = head
clavicle = clavicle_{}
upper_arm = upperarm_{}
forearm = lowerarm_{}
hand = hand_{}
finger = index_01_{}
finger_2 = index_02_{}
thumb = thumb_01_{}
thumb_2 = thumb_02_{}
thigh = thigh_{}
shin = calf_{}
foot = foot_{}
toe = ball_{}
toe_end = ball_leaf_{}"""
_MIXAMO = """hips = mixamorig:Hips
spine = mixamorig:Spine
chest = mixamorig:Spine2
neck = mixamorig:Neck
head = mixamorig:Head
head_top = mixamorig:HeadTop_End
clavicle = mixamorig:{}Shoulder
upper_arm = mixamorig:{}Arm
forearm = mixamorig:{}ForeArm
hand = mixamorig:{}Hand
finger = mixamorig:{}HandIndex1
finger_2 = mixamorig:{}HandIndex2
thumb = mixamorig:{}HandThumb1
thumb_2 = mixamorig:{}HandThumb2
thigh = mixamorig:{}UpLeg
shin = mixamorig:{}Leg
foot = mixamorig:{}Foot
toe = mixamorig:{}ToeBase
toe_end = mixamorig:{}Toe_End"""
_VRM = """hips = J_Bip_C_Hips
spine = J_Bip_C_Spine
chest = J_Bip_C_Chest
neck = J_Bip_C_Neck
head = J_Bip_C_Head
clavicle = J_Bip_{}_Shoulder
upper_arm = J_Bip_{}_UpperArm
forearm = J_Bip_{}_LowerArm
hand = J_Bip_{}_Hand
finger = J_Bip_{}_Index1
finger_2 = J_Bip_{}_Index2
thumb = J_Bip_{}_Thumb1
thumb_2 = J_Bip_{}_Thumb2
thigh = J_Bip_{}_UpperLeg
shin = J_Bip_{}_LowerLeg
foot = J_Bip_{}_Foot
toe = J_Bip_{}_ToeBase"""
_DAZ = """hips = hip
spine = abdomenLower
chest = chestUpper
neck = neckLower
clavicle = {}Collar
upper_arm = {}ShldrBend
forearm = {}ForearmBend
hand = {}Hand
finger = {}Index1
finger_2 = {}Index2
thumb = {}Thumb1
thumb_2 = {}Thumb2
thigh = {}ThighBend
shin = {}Shin
foot = {}Foot
toe = {}Toe"""
_CHARACTER_CREATOR = """hips = CC_Base_Hip
spine = CC_Base_Waist
chest = CC_Base_Spine02
neck = CC_Base_NeckTwist01
head = CC_Base_Head
clavicle = CC_Base_{}_Clavicle
upper_arm = CC_Base_{}_Upperarm
forearm = CC_Base_{}_Forearm
hand = CC_Base_{}_Hand
finger = CC_Base_{}_Index1
finger_2 = CC_Base_{}_Index2
thumb = CC_Base_{}_Thumb1
thumb_2 = CC_Base_{}_Thumb2
thigh = CC_Base_{}_Thigh
shin = CC_Base_{}_Calf
foot = CC_Base_{}_Foot
toe = CC_Base_{}_ToeBase"""
_MAKEHUMAN = """hips = root
spine = spine05
chest = spine02
neck = neck01
upper_arm = upperarm01{}
forearm = lowerarm01{}
hand = wrist{}
finger = finger2-1{}
finger_2 = finger2-2{}
thumb = finger1-1{}
thumb_2 = finger1-2{}
thigh = upperleg01{}
shin = lowerleg01{}
foot = foot{}
toe = toe1-1{}
toe_end = toe1-2{}"""
_AUTO_RIG = """hips = root.x
spine = spine_01.x
chest = spine_02.x
neck = neck.x
head = head.x
clavicle = shoulder{}
upper_arm = arm_stretch{}
forearm = forearm_stretch{}
hand = hand{}
thigh = thigh_stretch{}
shin = leg_stretch{}
foot = foot{}
toe = toes_01{}"""
_JAPANESE = """hips = センター
spine = 上半身
chest = 上半身2
neck = 首
head = 頭
clavicle = {}肩
upper_arm = {}腕
forearm = {}ひじ
hand = {}手首
finger = {}人指1
finger_2 = {}人指2
thumb = {}親指1
thumb_2 = {}親指2
thigh = {}足
shin = {}ひざ
foot = {}足首
toe = {}つま先"""
_SPANISH = """hips = cadera
spine = columna
chest = pecho
neck = cuello
head = cabeza
clavicle = clavicula_{}
upper_arm = brazo_{}
forearm = antebrazo_{}
hand = mano_{}
finger = dedo_{}
finger_2 = dedo_b_{}
thumb = pulgar_{}
thumb_2 = pulgar_b_{}
thigh = muslo_{}
shin = pantorrilla_{}
foot = pie_{}
toe = punta_{}
toe_end = punta_b_{}"""

CONVENTIONS: dict[str, Callable[[str], str]] = {
    "Blender": lambda name: name,
    "3ds Max Biped": naming(_BIPED, "L", "R"),
    "Unreal": naming(_UNREAL, "l", "r"),
    "Mixamo": naming(_MIXAMO, "Left", "Right"),
    "VRM": naming(_VRM, "L", "R"),
    "Daz": naming(_DAZ, "l", "r"),
    "Character Creator": naming(_CHARACTER_CREATOR, "L", "R"),
    "MakeHuman": naming(_MAKEHUMAN, ".L", ".R"),
    "Auto-Rig Pro": naming(_AUTO_RIG, ".l", ".r"),
    "MMD": naming(_JAPANESE, "左", "右"),
    "Spanish": naming(_SPANISH, "izq", "der"),
}
